from django.apps import AppConfig


class TokensConfig(AppConfig):
    name = "sift_batch.tokens"
    verbose_name = "API tokens"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from sift_batch.tokens import schema  # noqa: F401  (registers itself)
