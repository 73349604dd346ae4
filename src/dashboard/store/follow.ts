import type { FaultPreset } from '../../platform/sidecar.js'
import type { ReportLine } from '../../platform/sidecar.js'
import { CONTROL, api, parseJson, read } from './api.js'
import { followLog } from './feed.js'
import { set } from './state.js'

/** The usual origin of a sidecar, for commands that are copied from a recording. */
const USUAL_ORIGIN = 'http://localhost:9358'

/** Follows the sidecar's event log. */
export const follow = (): void => followLog(() => void loadPresets())

async function loadPresets(): Promise<void> {
  const answer = (await read('/presets')) as { presets: readonly FaultPreset[] } | undefined
  if (answer !== undefined) set({ presets: answer.presets })
}

/**
 * Shows the recorded session that was saved inside this page. Its lines answer the page's requests. False if there is
 * none.
 */
export function showRecording(): boolean {
  const element = document.querySelector('#recording')
  if (element === null) return false
  element.remove()
  const lines = element.textContent.split('\n').flatMap((line) => (parseJson(line) as ReportLine | undefined) ?? [])
  const details = new Map<string, object>()
  for (const line of lines) {
    if (line.type === 'entry') details.set(`${CONTROL}/log/${line.entry.seq}`, { why: line.why })
    else if (line.type === 'exchange') {
      const path = `${CONTROL}/log/${line.seq}`
      details.set(path, { ...details.get(path), ...line })
    } else if (line.type === 'state') set({ snapshot: line.state, now: line.state.now })
  }
  api.origin = () => USUAL_ORIGIN
  api.request = async (_, path) => {
    // The lines except the state are a recording.
    const recording = lines.filter(({ type }) => type !== 'state').map((line) => `${JSON.stringify(line)}\n`)
    const text = path === `${CONTROL}/export` ? recording.join('') : JSON.stringify(details.get(path))
    return text === undefined ? { status: 405, text: '{"message":"The session is over"}' } : { status: 200, text }
  }
  const entries = lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))
  set({ isRecorded: true, connection: 'open', entries })
  return true
}
