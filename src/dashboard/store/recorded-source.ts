import type { ReportLine } from '../../sidecar/index.js'
import { CONTROL, parseJson } from './api.js'
import type { Api } from './api.js'
import type { Source } from './source.js'

/** The session inside this page, if it was saved with one. */
export function takeRecording(): string | undefined {
  const element = document.querySelector('#recording')
  element?.remove()
  return element?.textContent
}

/** The lines of a session in the place of its sidecar: they answer what would be asked of that. */
export function recordedSource(text: string): Source {
  const lines = text.split('\n').flatMap((line) => (parseJson(line) as ReportLine | undefined) ?? [])
  const details = new Map<number, object>()
  for (const line of lines) {
    if (line.type === 'entry') details.set(line.entry.seq, { why: line.why })
    else if (line.type === 'exchange') details.set(line.seq, { ...details.get(line.seq), ...line })
  }
  const api: Api = {
    async send(_, path) {
      if (path !== `${CONTROL}/export`) return { status: 405, text: '{"message":"The session is over"}' }
      // What is left without the state is a recording.
      const recording = lines.filter(({ type }) => type !== 'state').map((line) => `${JSON.stringify(line)}\n`)
      return { status: 200, text: recording.join('') }
    },
    read: async (path) => details.get(Number(path.slice(`${CONTROL}/log/`.length))),
    socketUrl: () => '',
  }
  return {
    api,
    isRecorded: true,
    follow({ onFrame }) {
      for (const line of lines) {
        if (line.type === 'state') onFrame({ type: 'state', state: { ...line.state, clock: { speed: 0 } } })
        if (line.type === 'entry') onFrame({ type: 'entry', entry: line.entry })
      }
      return { retry() {} }
    },
  }
}
