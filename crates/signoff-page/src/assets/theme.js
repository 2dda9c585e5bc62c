// Light or dark before anything is painted. "auto" leaves it to the system.
(() => {
  const chosen = localStorage.getItem("signoff-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
