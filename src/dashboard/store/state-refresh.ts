import { parseJson } from './api.js'
import type { Api } from './api.js'
import { CONTROL } from './api.js'
import type { SidecarSnapshot } from '../../sidecar/index.js'

/** Five states a second are as many as anybody can read. */
const INTERVAL = 200

/**
 * Asks for the state after entries, unless the sidecar sends one by itself meanwhile. `onState` is given each that is newer.
 */
export function createStateRefresh(api: Api, onState: (snapshot: SidecarSnapshot) => void) {
  let wantedSeq = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const ask = async (): Promise<void> => {
    const answer = await api.send('GET', `${CONTROL}/state`).catch(() => undefined)
    timer = undefined
    if (answer?.status !== 200) return
    const snapshot = parseJson(answer.text) as SidecarSnapshot
    const wanted = wantedSeq
    onState(snapshot)
    if (snapshot.lastSeq < wanted) want(wanted)
  }
  const want = (seq: number): void => {
    wantedSeq = Math.max(wantedSeq, seq)
    timer ??= setTimeout(() => void ask(), INTERVAL)
  }
  return {
    /** An entry came, so the state may have changed. */
    want,
    /** A state came by itself. */
    has(seq: number): void {
      if (seq < wantedSeq || timer === undefined) return
      clearTimeout(timer)
      timer = undefined
    },
    reset(): void {
      wantedSeq = 0
    },
  }
}
