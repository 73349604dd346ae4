/** Moves each line that isn't empty to the right. */
export const indent = (text: string, spaces: number): string => text.replace(/^(?=.)/gm, ' '.repeat(spaces))

/** Turns YAML into comments that become YAML again when "# " is taken away. */
export const commentOut = (yaml: string): string => yaml.replace(/^(.+)$/gm, '# $1')

/** Puts parts of a file one below the other and leaves out those that are empty. */
export const join = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== '').join('\n')
