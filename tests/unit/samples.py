"""What a page for Prometheus says."""

from prometheus_client.parser import text_string_to_metric_families

Samples = dict[tuple[str, ...], float]


def samples(text: str) -> Samples:
    """By name and the values of its labels, in the order of their names."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
