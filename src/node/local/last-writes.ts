/** What is to be written yet if the process ends now. */
const lastWrites = new Set<() => void>()

const writeAll = (): void => lastWrites.forEach((write) => write())

/** Calls `write` when the process ends by an error or by `process.exit()`, unless it is removed before. */
export function addLastWrite(write: () => void): void {
  // One listener for all: Node warns of more than ten.
  if (lastWrites.size === 0) process.on('exit', writeAll)
  lastWrites.add(write)
}

export function removeLastWrite(write: () => void): void {
  if (lastWrites.delete(write) && lastWrites.size === 0) process.removeListener('exit', writeAll)
}
