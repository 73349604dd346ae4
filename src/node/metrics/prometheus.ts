export type Labels = Readonly<Record<string, string>>

/** A value with its labels; of a summary, the count before its sum. Samples without a value are left out. */
export type Sample =
  readonly [value: number | undefined, labels?: Labels] | readonly [count: number, labels: Labels, sum: number]

/** What is measured, by the conventions of Prometheus for its name and its unit. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'summary'
  readonly samples: readonly Sample[]
}

/** The content type of the text format, which every version of Prometheus reads. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes the text format of Prometheus, version 0.0.4. A family without samples is left out. */
export const formatFamilies = (families: readonly Family[]): string => families.map(formatFamily).join('')

function formatFamily({ name, help, type, samples }: Family): string {
  const lines = samples.flatMap(([value, labels, sum]) => {
    if (value === undefined) return []
    const suffix = labels === undefined ? '' : formatLabels(labels)
    if (sum === undefined) return [`${name}${suffix} ${formatValue(value)}`]
    return [`${name}_sum${suffix} ${formatValue(sum)}`, `${name}_count${suffix} ${formatValue(value)}`]
  })
  if (lines.length === 0) return ''
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

const formatLabels = (labels: Labels): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`)
    .join(',')}}`

/** The escapes of help texts; a label's value escapes its quotes too. */
const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** Prometheus writes infinity unlike JavaScript. */
const formatValue = (value: number): string =>
  Math.abs(value) === Infinity ? (value > 0 ? '+Inf' : '-Inf') : String(value)
