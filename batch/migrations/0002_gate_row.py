"""The one row of the gate, which every submit writes first."""

from typing import Any

from django.db import migrations


def make_row(apps: Any, schema_editor: Any) -> None:
    gate = apps.get_model("batch", "BatchGate")
    gate.objects.using(schema_editor.connection.alias).get_or_create(id=1)


class Migration(migrations.Migration):
    dependencies = [("batch", "0001_initial")]

    operations = [migrations.RunPython(make_row, migrations.RunPython.noop)]
