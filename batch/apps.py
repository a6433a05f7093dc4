from django.apps import AppConfig


class BatchConfig(AppConfig):
    """Touches no row: only what drains recovers what a dead worker left."""

    name = "batch"
    verbose_name = "Batch"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from batch import checks  # noqa: F401  (registers itself)
