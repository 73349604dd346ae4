import type { PlatformObject } from '../../fleet/types.js'
import type { ResourceType } from './resources.js'
import { valueAt } from './selectors.js'

/** Whether a client asked for rows to print, as `kubectl get` does. */
export const wantsTable = ({ headers }: Request): boolean => /;as=Table\b/.test(headers.get('accept') ?? '')

interface TableOptions {
  readonly resourceVersion: string
  /** ms since the Unix epoch. */
  readonly now: number
  /** What each row holds of its object: Object, None, or by default Metadata. */
  readonly includeObject: string | null
  /** False for all events of a watch but its first. */
  readonly withColumns: boolean
}

/** Objects as the rows of a Table, by the columns of their type's CRD. */
export function tableOf({ columns }: ResourceType, objects: readonly PlatformObject[], options: TableOptions): object {
  const { resourceVersion, now, includeObject, withColumns } = options
  const column = (name: string, type: string, format = ''): object => ({
    name,
    type,
    format,
    description: '',
    priority: 0,
  })
  const definitions = [column('Name', 'string', 'name'), ...columns.map(([name, type]) => column(name, type))]
  const rows = objects.map((object) => {
    const { metadata } = object
    const short = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
    return {
      cells: [metadata.name, ...columns.map(([, type, path]) => cellOf(valueAt(object, path), type, now))],
      object: includeObject === 'None' ? null : includeObject === 'Object' ? object : short,
    }
  })
  const head = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion } }
  return { ...head, columnDefinitions: withColumns ? definitions : null, rows }
}

function cellOf(value: unknown, type: string, now: number): string | number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  if (type === 'integer') return Number(value)
  return type === 'date' ? duration((now - Date.parse(String(value))) / 1000) : String(value)
}

const units = [
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
] as const
/** Below which time two units are written, and from which time on the next larger unit is. */
const ranges = [
  [0, 120],
  [600, 3 * 3600],
  [8 * 3600, 48 * 3600],
  [8 * 86_400, Infinity],
] as const

/** A duration as `apimachinery/pkg/util/duration` writes it: `90s`, `2m30s`, `45m`, `5h10m`, `30h`, `3d4h`, `9d`. */
function duration(seconds: number): string {
  const index = ranges.findIndex(([, below]) => seconds < below)
  const [name, unit] = units[index]!
  const whole = `${Math.max(0, Math.floor(seconds / unit))}${name}`
  if (seconds >= ranges[index]![0] || index === 0) return whole
  const [lessName, less] = units[index - 1]!
  const rest = Math.floor((seconds % unit) / less)
  return rest === 0 ? whole : `${whole}${rest}${lessName}`
}
