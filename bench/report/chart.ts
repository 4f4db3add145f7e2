/** A chart of costs over numbers of workloads; both axes are logarithmic. */
export interface Chart {
  readonly title: string
  readonly unit: string
  readonly lines: readonly Line[]
}

interface Line {
  readonly name: string
  readonly points: readonly { readonly workloads: number; readonly figure: number }[]
}

const WIDTH = 640
const HEIGHT = 320
const LEFT = 72
const RIGHT = 150
const TOP = 44
const BOTTOM = 44
const COLOURS = ['#2f7d5b', '#8a6fc0', '#c2703d', '#4a7fb5']

const STYLE = `text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:600}.grid{stroke:#ddd}
@media (prefers-color-scheme:dark){text{fill:#ccc}.grid{stroke:#444}}`

/** The chart as SVG, readable on a light and on a dark page. */
export function svg({ title, unit, lines }: Chart): string {
  const points = lines.flatMap((line) => line.points)
  const x = axis(
    points.map(({ workloads }) => workloads),
    LEFT,
    WIDTH - RIGHT,
  )
  const y = axis(
    points.map(({ figure }) => figure),
    HEIGHT - BOTTOM,
    TOP,
  )
  const parts = [
    `<text class="title" x="${LEFT}" y="22">${escaped(`${title} (${unit})`)}</text>`,
    ...x.ticks.flatMap((value) => [
      `<line class="grid" x1="${x.at(value)}" x2="${x.at(value)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
      `<text x="${x.at(value)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${value.toLocaleString('en')}</text>`,
    ]),
    ...y.ticks.flatMap((value) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y.at(value)}" y2="${y.at(value)}"/>`,
      `<text x="${LEFT - 8}" y="${y.at(value) + 4}" text-anchor="end">${value.toLocaleString('en')}</text>`,
    ]),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">workloads</text>`,
    ...lines.flatMap((line, index) => drawn(line, COLOURS[index % COLOURS.length] ?? '', index, x, y)),
  ]
  const box = `viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`
  const label = `role="img" aria-label="${escaped(title)}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} ${label}>\n<style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`
}

interface Axis {
  readonly ticks: readonly number[]
  at(value: number): number
}

/** From the tick below the least value to the one above the largest. */
function axis(values: readonly number[], from: number, to: number): Axis {
  const real = values.filter((value) => value > 0)
  const ticks = steps(Math.min(...real, Number.MAX_VALUE), Math.max(...real, 0))
  const [low = 1, high = 10] = [ticks[0], ticks.at(-1)]
  const span = Math.log(high / low) || 1
  const at = (value: number) => Math.round(from + ((to - from) * Math.log(Math.max(value, low) / low)) / span)
  return { ticks, at }
}

/** 1, 2 and 5 times the powers of ten, from below `least` to above `most`. */
function steps(least: number, most: number): number[] {
  if (least > most) return [1, 10]
  const found: number[] = []
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most * 10; power++)
    found.push(...[1, 2, 5].map((factor) => Number((factor * 10 ** power).toPrecision(1))))
  const first = found.findLastIndex((value) => value <= least)
  const last = found.findIndex((value) => value >= most)
  return found.slice(first, Math.max(last, first + 1) + 1)
}

function drawn({ name, points }: Line, colour: string, index: number, x: Axis, y: Axis): string[] {
  const sorted = points.toSorted((a, b) => a.workloads - b.workloads)
  const places = sorted.map(({ workloads, figure }) => `${x.at(workloads)},${y.at(figure)}`)
  const legend = TOP + 14 + index * 20
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places.join(' ')}"/>`,
    ...places.map((place) => {
      const [cx, cy] = place.split(',')
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`
    }),
    `<rect x="${WIDTH - RIGHT + 12}" y="${legend - 9}" width="10" height="10" fill="${colour}"/>`,
    `<text x="${WIDTH - RIGHT + 28}" y="${legend}">${escaped(name)}</text>`,
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
