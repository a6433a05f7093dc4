"""The index on a target's URL has the key as well, which gives a URL's last targets in order."""

from django.db import migrations, models

import batch.fields


class Migration(migrations.Migration):
    dependencies = [("batch", "0002_gate_row")]

    operations = [
        migrations.AddIndex(
            model_name="batchtarget",
            index=models.Index(fields=["url_hash", "id"], name="batch_target_url"),
        ),
        migrations.AlterField(
            model_name="batchtarget",
            name="url_hash",
            field=batch.fields.UrlHashField(editable=False),
        ),
    ]
