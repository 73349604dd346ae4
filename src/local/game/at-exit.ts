const endings = new Set<() => void>()

const runAll = (): void => endings.forEach((end) => end())

/**
 * Calls a function when this process exits, also by `process.exit()` or an error. All callers share one listener: Node
 * warns of more than ten, and a Fleet has a process for each GameServer.
 *
 * @returns the function that takes it back
 */
export function atExit(end: () => void): () => void {
  if (endings.size === 0) process.on('exit', runAll)
  endings.add(end)
  return () => {
    if (endings.delete(end) && endings.size === 0) process.off('exit', runAll)
  }
}
