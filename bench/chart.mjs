const WIDTH = 720;
const LABELS = 250;
const ROW = 26;
const VALUES = 70;
const COLORS = { ours: '#2f7d4f', other: '#8a8f98' };

/**
 * @typedef {object} Bar
 * @property {string} label
 * @property {number} value not negative
 * @property {boolean} ours drawn in the colour of this package
 */

/**
 * Horizontal bars as an SVG that needs neither fonts nor scripts, readable on light and dark pages.
 * @param {string} title
 * @param {readonly Bar[]} bars at least one
 * @param {string} unit written behind each value
 */
export function barChart(title, bars, unit) {
  const scale = (WIDTH - LABELS - VALUES) / Math.max(...bars.map(({ value }) => value), 1);
  const height = 44 + bars.length * ROW;
  const rows = bars.map(({ label, value, ours }, index) => {
    const y = 36 + index * ROW;
    const width = Math.max(1, value * scale).toFixed(1);
    const end = (LABELS + Number(width) + 6).toFixed(1);
    return [
      `<text x="${LABELS - 8}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABELS}" y="${y + 3}" width="${width}" height="${ROW - 8}" rx="2" fill="${ours ? COLORS.ours : COLORS.other}"/>`,
      `<text x="${end}" y="${y + 15}">${value.toFixed(0)} ${escaped(unit)}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}"`,
    ' font-family="system-ui, sans-serif" font-size="13" fill="#777">',
    `<text x="8" y="20" font-size="14" font-weight="600">${escaped(title)}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n');
}

function escaped(text) {
  return text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`);
}
