# ruff: noqa: RUF001  # the letters are what they look like
"""The same kind of news article in many scripts and charsets."""

from __future__ import annotations

from .kind import Kind

LABELLED = "text/html"

LANGUAGES = (
    Kind(
        name="japanese",
        must=(
            "二十七年間使われていなかった岬の灯台が、",
            "百十二段の階段はそのまま残される。",
            "「十一の案を検討しましたが、",
            "## 費用は誰が払うのか\n",
            "相部屋の料金は一泊三千五百円になる見込みだ。",
            "荷物は週に三日、郵便の船で先に送ることができる。",
        ),
        must_not=("本文へ移動", "よく読まれている記事", "この記事を共有する", "広告", "利用規約"),
        content_type=LABELLED,
        encoding="shift_jis",
        meta={"language": "ja", "charset": "cp932", "charset_source": "meta"},
    ),
    Kind(
        name="chinese_simplified",
        must=(
            "岬角上的灯塔已经空了二十七年，",
            "屋顶的工程四月开始。",
            "“我们看了十一个方案，",
            "## 钱由谁出\n",
            "一辆救护车走三公里用了四十分钟。",
            "镕、㐂、囍这几个字也能正确显示。",
        ),
        must_not=("跳到正文", "最多阅读", "分享到微信", "广告", "使用条款"),
        content_type=LABELLED,
        encoding="gb18030",
        meta={"language": "zh-CN", "charset": "gb18030", "charset_source": "meta"},
    ),
    Kind(
        name="korean",
        must=(
            "스물일곱 해 동안 비어 있던 곶의 등대가",
            "백열두 개의 계단은 그대로 남는다.",
            "## 비용은 누가 내는가\n",
            "구급차가 삼 킬로미터를 가는 데 사십 분이 걸렸다.",
            "짐은 일주일에 사흘 우편선으로 먼저 보낼 수 있다.",
        ),
        must_not=("본문 바로가기", "많이 본 기사", "페이스북에 공유하기", "이용 약관"),
        content_type=LABELLED,
        encoding="euc-kr",
        meta={"language": "ko", "charset": "cp949", "charset_source": "meta"},
    ),
    Kind(
        name="chinese_traditional",
        must=(
            "岬角上的燈塔已經空了二十七年，",
            "屋頂的工程四月開始。",
            "「我們看了十一個方案，",
            "## 錢由誰出\n",
            "島上並不是人人都滿意。",
            "行李每週有三天可以由郵船提前送到。",
        ),
        must_not=("跳到主要內容", "最多閱讀", "分享到臉書", "使用條款"),
        content_type="text/html;charset=Big5",
        encoding="big5",
        meta={"language": "zh-TW", "charset": "big5hkscs", "charset_source": "header"},
    ),
    Kind(
        name="thai",
        must=(
            "ประภาคารที่แหลมซึ่งว่างเปล่ามายี่สิบเจ็ดปี",
            "บันไดทั้งหมดหนึ่งร้อยสิบสองขั้นจะคงไว้ตามเดิม",
            "## ใครเป็นคนจ่าย\n",
            "ชาวประมงกลัวว่าถนนแคบไปแหลมจะเต็มไปด้วยรถในหน้าร้อน",
            "ทางอำเภอตอบว่าที่พักจะไม่มีที่จอดรถเลย",
        ),
        must_not=("ข้ามไปยังเนื้อหา", "อ่านมากที่สุด", "แชร์ข่าวนี้"),
        content_type=LABELLED,
        encoding="tis-620",
        meta={"language": "th", "charset": "cp874", "charset_source": "meta"},
    ),
    Kind(
        name="arabic",
        must=(
            "تفتح المنارة التي ظلت خالية سبعة وعشرين عاماً أبوابها",
            "يبدأ العمل في السقف في شهر أبريل.",
            "## من يدفع\n",
            "ليس كل أهل الجزيرة راضين.",
            "مع قارب البريد ثلاثة أيام في الأسبوع.",
        ),
        must_not=("انتقل إلى المحتوى", "الأكثر قراءة", "شارك على فيسبوك", "إعلان"),
        content_type=LABELLED,
        meta={"language": "ar", "charset": "utf-8", "charset_source": "meta"},
    ),
    Kind(
        name="hebrew",
        must=(
            "המגדלור שעמד ריק עשרים ושבע שנים",
            "העבודה על הגג תתחיל באפריל.",
            "## מי משלם\n",
            "לא כל תושבי האי מרוצים.",
            "בסירת הדואר בשלושה ימים בשבוע.",
        ),
        must_not=("דלג לתוכן", "הנקראים ביותר", "שתפו בפייסבוק"),
        content_type=LABELLED,
        encoding="windows-1255",
        meta={"language": "he", "charset": "windows-1255", "charset_source": "meta"},
    ),
    Kind(
        name="russian_unlabelled",
        must=(
            "Маяк на мысу, который пустовал двадцать семь лет,",
            "Работы на крыше начнутся в апреле.",
            "## Кто за это платит\n",
            "Не все на острове довольны.",
            "почтовой лодкой три раза в неделю.",
        ),
        must_not=("Перейти к тексту", "Самое читаемое", "Поделиться в соцсетях", "Реклама"),
        content_type=LABELLED,
        encoding="windows-1251",
        meta={"language": "ru", "charset": "windows-1251", "charset_source": "detected"},
    ),
    Kind(
        name="russian_koi8",
        must=(
            "рассказали в районе в четверг вечером.",
            "«Мы посмотрели одиннадцать проектов,",
            "## Кто за это платит\n",
            "стоянки при гостинице не будет вовсе.",
        ),
        must_not=("Перейти к тексту", "Самое читаемое", "Поделиться в соцсетях", "Реклама"),
        content_type=LABELLED,
        encoding="koi8-r",
        meta={"language": "ru", "charset": "koi8-r", "charset_source": "meta"},
    ),
    Kind(
        name="greek",
        must=(
            "Ο φάρος στο ακρωτήρι, που έμενε άδειος είκοσι επτά χρόνια,",
            "Οι εργασίες στη στέγη αρχίζουν τον Απρίλιο.",
            "## Ποιος πληρώνει\n",
            "Δεν είναι όλοι στο νησί ευχαριστημένοι.",
            "με τη βάρκα του ταχυδρομείου.",
        ),
        must_not=("Μετάβαση στο κείμενο", "Τα πιο διαβασμένα", "Κοινοποίηση"),
        content_type=LABELLED,
        encoding="iso-8859-7",
        meta={"language": "el", "charset": "iso8859-7", "charset_source": "meta"},
    ),
    Kind(
        name="french_unlabelled",
        must=(
            "Le phare de la pointe, resté vide pendant vingt-sept ans,",
            "L'escalier, cent douze marches en tout, restera tel qu'il est,",
            "## Qui paie la dépense\n",
            "Les pêcheurs craignent que la route étroite",
            "« J'ai grimpé là-haut plus de vingt mille fois »",
            "la dernière traversée a laissés à quai, même en été.",
        ),
        must_not=("Aller au contenu", "Les plus lus", "Partager sur Facebook", "Publicité"),
        content_type=LABELLED,
        encoding="iso-8859-1",
        meta={"language": "fr", "charset": "windows-1252", "charset_source": "detected"},
    ),
)
