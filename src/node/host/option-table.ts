import { refuseUnknownOptions } from '../unknown-option.js'

/** Of a whole number, the least and most that it may be, and its default if it has one. Of any other option, `true`. */
type Row = true | readonly [least: number, most: number, fallback?: number]

/** The numbers of a table. Those with a default are always there. */
type Numbers<Table> = {
  readonly [Name in keyof Table as Table[Name] extends readonly number[] ? Name : never]: Table[Name] extends readonly [
    number,
    number,
    number,
  ]
    ? number
    : number | undefined
}

/**
 * Checks the names of options and those that are numbers, and returns the numbers with their defaults.
 *
 * @throws TypeError for an unknown option, or a number out of its range
 */
export function checkOptions<const Table extends Readonly<Record<string, Row>>>(
  options: object,
  table: Table,
): Numbers<Table> {
  refuseUnknownOptions(options, Object.keys(table))
  const numbers: Record<string, number | undefined> = {}
  for (const [name, row] of Object.entries(table)) {
    if (row === true) continue
    const [least, most, fallback] = row
    const value = (options as Record<string, number | undefined>)[name] ?? fallback
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
      throw new TypeError(`${name} must be a whole number from ${least} to ${most}; got ${String(value)}`)
    }
    numbers[name] = value
  }
  return numbers as Numbers<Table>
}
