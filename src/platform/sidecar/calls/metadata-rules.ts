import { quote } from '../state/show.js'

const nameFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const domainFormat = `${labelFormat}(\\.${labelFormat})*`
const namePattern = new RegExp(`^${nameFormat}$`)
const valuePattern = new RegExp(`^(${nameFormat})?$`)
const labelPattern = new RegExp(`^${labelFormat}$`)
const characters =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const longest = 63
const longestDomain = 253

/** Kubernetes' objections to a qualified name, the key of a label or annotation. */
function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/')
  const format = formatProblem(`must ${characters}`, nameFormat, 'MyName', 'my.name', '123-abc')
  if (parts.length > 2) {
    return [`a valid label key ${format} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const problems: string[] = []
  if (parts.length === 2) problems.push(...prefixProblems(parts[0]!))
  const name = parts[parts.length - 1]!
  if (name === '') problems.push('name part must be non-empty')
  else if (byteLength(name) > longest) problems.push(`name part ${lengthProblem(longest)}`)
  if (!namePattern.test(name)) problems.push(`name part ${format}`)
  return problems
}

/** Kubernetes' objections to the value of a label. */
function labelValueProblems(value: string): string[] {
  const problems: string[] = []
  if (byteLength(value) > longest) problems.push(lengthProblem(longest))
  if (!valuePattern.test(value)) {
    const text = `a valid label must be an empty string or ${characters}`
    problems.push(formatProblem(text, `(${nameFormat})?`, 'MyValue', 'my_value', '12345'))
  }
  return problems
}

/** The real sidecar's refusal of a key; undefined for a valid key. */
export function keyRefusal(kind: 'label' | 'annotation', key: string): string | undefined {
  const problems = qualifiedNameProblems(key)
  return problems.length > 0 ? `invalid ${kind} key ${quote(key)}: ${problems.join(', ')}` : undefined
}

/** The real sidecar's refusal of a label's value; undefined for a valid value. */
export function valueRefusal(key: string, value: string): string | undefined {
  const problems = labelValueProblems(value)
  return problems.length > 0
    ? `invalid label value ${quote(value)} for key ${quote(key)}: ${problems.join(', ')}`
    : undefined
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const problems: string[] = []
  if (byteLength(prefix) > longestDomain) problems.push(`prefix part ${lengthProblem(longestDomain)}`)
  // Label by label: a pattern for the whole prefix overflows the regex engine's stack at 4 MiB.
  if (!prefix.split('.').every((label) => labelPattern.test(label))) {
    const text =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
      'and must start and end with an alphanumeric character'
    problems.push(`prefix part ${formatProblem(text, domainFormat, 'example.com')}`)
  }
  return problems
}

function lengthProblem(length: number): string {
  return `must be no more than ${length} bytes`
}

function formatProblem(text: string, format: string, ...examples: string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ')
  return `${text} (e.g. ${list}regex used for validation is '${format}')`
}
