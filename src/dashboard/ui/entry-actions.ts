import { copyText } from '../common/copy-text.js'
import { CONTROL, messageOf } from '../store/api.js'
import type { PageStore } from '../store/create-store.js'
import type { Store } from '../store/store.js'
import type { LogEntry } from '../../sidecar/index.js'
import { clientCodeOf, curlOf } from '../timeline/copies.js'
import { requestOf } from '../timeline/request-of.js'

/** Where the colleague's own sidecar listens. */
const USUAL_ORIGIN = 'http://localhost:9358'

const NOTHING = 'There is no request in this row'

export function copyCurl(store: PageStore, entry: LogEntry): void {
  const request = requestOf(entry)
  if (request === undefined) store.announce(NOTHING)
  else copy(store, curlOf(request, store.isRecorded ? USUAL_ORIGIN : location.origin), 'Copied as curl')
}

export function copyClientCode(store: PageStore, entry: LogEntry): void {
  const code = clientCodeOf(entry)
  if (code === undefined) store.announce('No call of the game is in this row')
  else copy(store, code, 'Copied as client code')
}

/** Copies text and says so, or why not. */
export function copy(store: Store, text: string, told: string): void {
  copyText(text).then(
    () => store.announce(told),
    (error: unknown) => store.announce(`Could not copy: ${String(error)}`),
  )
}

/** Sends a row's request again. */
export async function replay(store: PageStore, entry: LogEntry): Promise<void> {
  const request = requestOf(entry)
  if (request === undefined) return store.announce(NOTHING)
  // A watch would never end.
  if (request.path.startsWith('/watch')) return store.announce('A watch is not a call to replay')
  try {
    const answer = await store.call(request.method, request.path, request.body)
    store.announce(`Replayed: ${answer.status}${answer.status < 400 ? '' : `, ${messageOf(answer)}`}`)
  } catch {
    store.announce('Replayed, and the connection was cut')
  }
}

/** Downloads the session as a file: one that `replay` reads, or a page that a colleague opens. */
export async function exportSession(store: PageStore, format: 'ndjson' | 'html'): Promise<void> {
  const query = format === 'html' ? '?format=html' : ''
  const answer = await store.api.send('GET', `${CONTROL}/export${query}`).catch(() => undefined)
  if (answer?.status !== 200) return store.announce(answer ? messageOf(answer) : 'The sidecar does not answer')
  const url = URL.createObjectURL(
    new Blob([answer.text], { type: format === 'html' ? 'text/html' : 'application/x-ndjson' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `${store.snapshot.peek()?.gameServer.object_meta.name ?? 'session'}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
  store.announce(`Exported as ${link.download}`)
}
