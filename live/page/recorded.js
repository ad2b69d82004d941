// What a panel shows until a training is started in it: a recorded run with the panel's default
// settings (tools/book/live_runs.py records them).

function recorded_of({ panel, spec }) { return (PAGE.recorded || {})[spec.called || panel]; }

// The current settings on the page, whatever they were when a training began.
function settings_shown(one) {
  return Object.fromEntries([...byId(one.panel).querySelectorAll('[data-setting]')]
    .map((setting) => [setting.dataset.setting, setting.value]));
}

// The recording is shown only for the settings it was made with, until the user starts a training.
function offer_recorded(one) {
  if (one.going || one.runs.some(({ id }) => id >= 0)) return;
  const kept = recorded_of(one), set = settings_shown(one);
  const fits = !!kept && !one.earlier.length &&
    Object.entries(kept.made).every(([name, value]) => set[name] === value);
  if (fits !== one.recorded)
    Object.assign(one, new_course(one.spec), fits ? { recorded: true, ...course_of(one, kept) } : {});
}

function course_of(one, { made, milliseconds, taken, runs, seen }) {
  return { made, milliseconds, taken, seen,
    runs: one.runs.map((_, i) => ({ ...new_run(), ...runs[i] })) };
}

function begin_own(one) {
  if (one.recorded) Object.assign(one, new_course(one.spec));
}
