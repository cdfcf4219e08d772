// Runs before the first paint: applies the theme that the user chose, or the system's.
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;
