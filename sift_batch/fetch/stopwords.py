"""Words that say nothing about what a question is after."""

from __future__ import annotations

_ENGLISH = """
a about after all also an and any are as at be been but by can could did do does for from get had
has have he her his how i if in into is it its may me more most my no not of on or our out shall
she should so some such than that the their them then there these they this those to up us was we
were what when where which who whom whose why will with would you your
"""
_GERMAN = """
aber als am an auch auf aus bei das dem den der des die ein eine einem einen einer es für hat ich
ihr im in ist kann man mit nach nicht oder sein sich sie sind um und von vom war was wann warum
welche welcher welches wenn wer werden wie wir wird wo zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais ne
nous où ou par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa se ses son
sont sur un une vous
"""
_SPANISH = """
al como con cuál cuáles cuándo cuánto de del dónde el ella en es esta este la las lo los más no
para pero por qué que quién se ser si sin son su sus un una uno y
"""
_ITALIAN = """
che chi come con da dei del della di dove gli il in la le nel non per perché quale quali quando
quanto sono un una
"""
_CHINESE = "的 是 了 在 和 有 我 你 他 她 它 们 这 那 什么 怎么 如何 吗 呢 哪 哪里 为什么 多少 请问"
_JAPANESE = "は が を に で と も の です ます ですか か どう 何 なに いつ どこ なぜ"

STOP_WORDS = frozenset(
    word
    for words in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _CHINESE, _JAPANESE)
    for word in words.split()
)
