/** A value of JSON as YAML, as people write it: blocks, and quotes only where they are needed. */
export function writeYaml(value: unknown): string {
  return isFull(value) ? block(value, '').slice(1) + '\n' : inline(value) + '\n'
}

function block(value: object, indent: string): string {
  if (Array.isArray(value)) {
    return value.map((item) => `\n${indent}-${isFull(item) ? afterDash(item, indent) : ` ${inline(item)}`}`).join('')
  }
  return entriesOf(value)
    .map(([key, item]) => `\n${indent}${inline(key)}:${isFull(item) ? block(item, indent + '  ') : ` ${inline(item)}`}`)
    .join('')
}

/** The first line of an item stands behind its dash. */
const afterDash = (item: object, indent: string): string => ' ' + block(item, indent + '  ').slice(indent.length + 3)

function inline(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return isPlain(value) ? value : JSON.stringify(value)
}

/** Whether a text stays the same text without quotes, in YAML 1.1 too. */
const isPlain = (text: string): boolean =>
  /^[a-z_/][\w./@+ -]*$/i.test(text) && !/ $/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)

const isFull = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (Array.isArray(value) ? value.length : entriesOf(value).length) > 0

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, item]) => item !== undefined)
