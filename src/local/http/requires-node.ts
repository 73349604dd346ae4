/** Throws at import if Node is too old: a later error wouldn't name the cause. */
export function requireNode(): void {
  if (typeof (ReadableStream as { from?: unknown }).from === 'function') return
  throw new Error(`gameserver-sidecar needs Node 20.19, 22.12 or later; this is Node ${process.versions.node}`)
}
