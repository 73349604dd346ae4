/** Indents each non-empty line. */
export const indent = (text: string, spaces: number): string => text.replace(/^(?=.)/gm, ' '.repeat(spaces))

/** Turns YAML into comments that become YAML again when "# " is removed. */
export const commentOut = (yaml: string): string => yaml.replace(/^(.+)$/gm, '# $1')

/** Joins the parts of a file and omits empty parts. */
export const join = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== '').join('\n')
