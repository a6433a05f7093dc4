"""Lanes that targets go through one by one, and the jobs at them."""

import batch.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("batch", "0003_url_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="BatchLane",
            fields=[
                (
                    "name",
                    batch.fields.ExactCharField(max_length=255, primary_key=True, serialize=False),
                ),
                ("opens_at", models.DateTimeField()),
                ("tickets", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "verbose_name": "lane",
            },
        ),
        migrations.CreateModel(
            name="BatchTurn",
            fields=[
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turn",
                        primary_key=True,
                        serialize=False,
                        to="batch.batchjob",
                    ),
                ),
                ("lane", batch.fields.ExactCharField(max_length=255)),
                ("ticket", models.PositiveBigIntegerField()),
                ("asked_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "turn",
                "indexes": [models.Index(fields=["lane", "ticket"], name="batch_turn_lane")],
            },
        ),
    ]
