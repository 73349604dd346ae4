import type { FaultPreset } from '../../platform/sidecar.js'
import type { LogEntry, SidecarSnapshot } from '../../platform/sidecar.js'
import { stateWith } from './page-state.js'

export const tabs = ['diff', 'request', 'response', 'raw', 'why'] as const
export type Tab = (typeof tabs)[number]

interface SidecarState {
  snapshot: SidecarSnapshot | undefined
  entries: readonly LogEntry[]
  frozen: readonly LogEntry[] | undefined
  presets: readonly FaultPreset[]
  tab: Tab
  /** The view of the GameServer, and the error of the edited text. */
  objectView: 'tree' | 'yaml' | 'edit'
  objectProblem: string
}

/** What the sidecar sent and what the user chose. Only `set` changes it. */
export const { state, set } = stateWith<SidecarState>({
  snapshot: undefined,
  entries: [],
  frozen: undefined,
  presets: [],
  tab: 'diff',
  objectView: 'tree',
  objectProblem: '',
})
