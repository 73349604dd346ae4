import { explainEntry } from '../explain-entry.js'
import type { Explanation } from '../explain-entry.js'
import type { Sidecar } from '../sidecar.js'
import type { SidecarSnapshot } from '../wire/snapshot.js'
import type { RecordingLine } from './recording-lines.js'
import type { Redact } from './redact.js'

/**
 * One line of a session that is shown without its sidecar: that of a recording, an entry with its reason, or the state at
 * the end. Whoever reads recordings can read these too, except for the state.
 */
export type ReportLine =
  | Exclude<RecordingLine, { readonly type: 'entry' }>
  | (Extract<RecordingLine, { readonly type: 'entry' }> & { readonly why?: Explanation })
  | { readonly type: 'state'; readonly state: SidecarSnapshot }

/** A session's lines after `since`, each without what `redact` takes out of it. */
export function* reportLines(sidecar: Sidecar, since: number, redact: Redact): Generator<ReportLine, void> {
  // Where the file of a recording is concerns nobody else.
  const state = { ...sidecar.snapshot(), recording: undefined }
  yield redact({ type: 'state', state })
  for (const line of sidecar.recording(since)) {
    const clean = redact(line)
    if (clean.type !== 'entry') {
      yield clean
      continue
    }
    const kept = sidecar.log.find(clean.entry.seq)
    // The reason is worked out from what is told, so that it can't tell more.
    yield kept === undefined ? clean : { ...clean, why: explainEntry({ ...kept, entry: clean.entry }, sidecar.config) }
  }
}
