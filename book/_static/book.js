// Paper is white: print in the light theme, whatever the screen shows.
{
  const page = document.documentElement.dataset;
  let theme;
  addEventListener("beforeprint", () => {
    theme = page.theme;
    page.theme = "light";
  });
  addEventListener("afterprint", () => {
    page.theme = theme;
  });
}

// The button that prints a page; its own script is taken out by strict.py.
addEventListener("click", (event) => {
  if (event.target.closest(".btn-download-pdf-button")) print();
});

// What scrolls must be reached by the keyboard. The theme looks before the widths are final.
addEventListener("load", () => {
  for (const block of document.querySelectorAll("pre")) {
    block.tabIndex = block.scrollWidth > block.clientWidth ? 0 : -1;
  }
});
