/** The bar for a figure, or for its ratio to the comparison. */
export interface Bar {
  readonly of: 'figure' | 'ratio'
  readonly atMost?: number
  readonly atLeast?: number
}

/** One figure of a scenario. */
export interface Measured {
  readonly what: string
  /** NaN: it could not be measured. */
  readonly figure: number
  readonly unit: string
  /** The comparison, in the same unit and measured in the same run. */
  readonly reference?: { readonly name: string; readonly figure: number }
  readonly bar?: Bar
  /** A remark for the reader. */
  readonly note?: string
}

/** A line of the results. */
export interface Row {
  readonly what: string
  readonly figure: number | null
  readonly unit: string
  readonly reference: { readonly name: string; readonly figure: number | null } | null
  /** The figure divided by the reference's. */
  readonly ratio: number | null
  readonly bar: Bar | null
  /** null: there is no bar, or nothing to hold against it. */
  readonly holds: boolean | null
  readonly note: string | null
}

export function rowOf({ what, figure, unit, reference, bar, note }: Measured): Row {
  const ratio = reference ? figure / reference.figure : Number.NaN
  return {
    what,
    figure: short(figure),
    unit,
    reference: reference ? { name: reference.name, figure: short(reference.figure) } : null,
    ratio: short(ratio),
    bar: bar ?? null,
    holds: bar ? holds(bar, bar.of === 'ratio' ? ratio : figure) : null,
    note: note ?? null,
  }
}

function holds(
  { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }: Bar,
  value: number,
) {
  return Number.isFinite(value) ? value <= atMost && value >= atLeast : null
}

/** Three digits, or all before the point; null: not a number. */
function short(value: number): number | null {
  if (!Number.isFinite(value)) return null
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

/** `≥ 0.90 × raw client`, `≤ 120 MB`. */
export function barText({ bar, unit, reference }: Row): string {
  if (!bar) return ''
  const [sign, value] = bar.atLeast === undefined ? ['≤', bar.atMost ?? 0] : ['≥', bar.atLeast]
  const of = bar.of === 'ratio' ? `× ${reference?.name ?? ''}` : unit
  return `${sign} ${bar.of === 'ratio' ? value.toFixed(2) : value} ${of}`.trim()
}

export function verdict({ bar, holds, figure }: Row): string {
  if (figure === null) return 'not measured'
  if (!bar || holds === null) return ''
  return holds ? 'holds' : 'falls short'
}
