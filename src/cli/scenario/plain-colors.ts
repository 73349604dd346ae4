import type { Colors } from '../context.js'

const same = (text: string): string => text

/** Colours that are none, for reports that programs read. */
export const plainColors: Colors = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }
