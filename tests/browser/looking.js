// What the tests ask of a page that is open: text that is hard to read, and what is seen of an element.
"use strict";

function parse(colour) {
  const numbers = colour.match(/[\d.]+/g).map(Number);
  return numbers.length === 3 ? [...numbers, 1] : numbers;
}

function over(top, below) {
  return [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
}

function background(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
}

function luminance(colour) {
  const [r, g, b] = colour.map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(element) {
  const style = getComputedStyle(element);
  const svg = element.namespaceURI.endsWith("svg");
  const behind = background(element);
  const front = over(parse(svg ? style.fill : style.color), behind);
  const [light, dark] = [luminance(front), luminance(behind)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function textElements() {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() && element.checkVisibility() && !element.closest(".unseen, .skip, script, noscript, desc, title"))
      found.add(element);
  }
  return [...found];
}

function dimTexts(least) {
  return textElements()
    .map((element) => [contrast(element), element.localName, element.className.baseVal ?? element.className, element.textContent.trim().slice(0, 40)])
    .filter(([ratio]) => ratio < least);
}

function openAll() {
  let closed;
  while ((closed = document.querySelectorAll("details:not([open])")).length) closed.forEach((each) => { each.open = true; fill(each); });
}

function inView(element) {
  const box = element.getBoundingClientRect();
  return element.checkVisibility() && box.bottom > 0 && box.top < innerHeight && box.width > 0;
}
