"""A phase has one colour in all pictures of a report."""

from matplotlib.colors import to_hex

from phasewise.report.communication import draw_phase_times
from phasewise.report.reporting import reported
from phasewise.report.timeline import draw_tasks
from tests.unit.test_communication_report import write_messages


def test_a_phase_has_one_colour_in_all_pictures(tmp_path):
    write_messages(tmp_path)
    run = reported(tmp_path, [tmp_path])
    bars = draw_phase_times(run).canvas.axes[0].containers
    colours = {one.get_label(): to_hex(one[0].get_facecolor()) for one in bars}
    legend = draw_tasks(run).canvas.legends[0]
    tasks = {
        text.get_text(): to_hex(patch.get_facecolor())
        for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True)
    }
    # The pictures name the phases in different orders.
    both = colours.keys() & tasks.keys()
    assert both == {"reduce_column", "broadcast_row", "moments"}
    assert {name: colours[name] for name in both} == {name: tasks[name] for name in both}
