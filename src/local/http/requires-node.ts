/** Throws at import where Node is too old, instead of later with an error that doesn't tell. */
export function requireNode(): void {
  if (typeof (ReadableStream as { from?: unknown }).from === 'function') return
  throw new Error(`gameserver-sidecar needs Node 20.19, 22.12 or later; this is Node ${process.versions.node}`)
}
