type Scalar = string | number | boolean | undefined

/** The values of a template's placeholders, by name. */
export interface Values {
  readonly [name: string]: Scalar | readonly Values[]
}

const BLOCK = /^ *\{\{([#^])(\w+)\}\}\n([^]*?)^ *\{\{\/\2\}\}\n/gm

/**
 * Fills in a template. `{{name}}` is a value; one that stands alone takes the indentation of its line. The lines between
 * `{{#name}}` and `{{/name}}` stay if the value is true, and once for each element of an array; those between `{{^name}}`
 * and `{{/name}}` stay if it is not.
 */
export function fill(template: string, values: Values): string {
  const textOf = (name: string): string => {
    const value = values[name]
    return typeof value === 'object' ? '' : String(value)
  }
  return keepBlocks(template, values)
    .replace(/^( *)\{\{(\w+)\}\}$/gm, (_, spaces: string, name: string) => indent(textOf(name).trimEnd(), spaces))
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => textOf(name))
}

const keepBlocks = (template: string, values: Values): string =>
  template.replace(BLOCK, (_, sign: string, name: string, lines: string) => {
    const value = values[name]
    const isList = Array.isArray(value)
    if (sign === '#' && isList)
      return (value as readonly Values[]).map((one) => fill(lines, { ...values, ...one })).join('')
    const isTrue = isList ? value.length > 0 : Boolean(value)
    return isTrue === (sign === '#') ? keepBlocks(lines, values) : ''
  })

/** Indents each non-empty line. */
const indent = (text: string, spaces: string): string => text.replace(/^(?=.)/gm, spaces)

/** Turns YAML into comments that become YAML again when "# " is removed. */
export const commentOut = (yaml: string): string => yaml.replace(/^(.+)$/gm, '# $1')
