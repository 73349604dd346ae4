/** `09:30:57.114`, in the reader's own time zone. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** `4 s`, `2 m 14 s`, `53 h 5 m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`
}

/** One unit: `4 s`, `2 m`, `53 h`. */
export const age = (ms: number): string => duration(ms).split(' ', 2).join(' ')

/** `1 watcher`, `2 watchers`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A running time, with tenths while it is below 10 s. */
export const countedTime = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms)

/** A configured duration: `500 ms`, `2.5 s`. */
export const span = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)
