// Scroll a pane, never the page. `share` of the pane is left above the item.
function reveal(pane, item, share) {
  if (!item) return;
  const { offsetTop: top, offsetHeight: height } = item;
  const { scrollTop, clientHeight } = pane;
  if (top >= scrollTop && top + height <= scrollTop + clientHeight) return;
  pane.scrollTop = top - Math.max(0, Math.min(share * clientHeight, clientHeight - height));
}

export { reveal };
