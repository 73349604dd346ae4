import type { FaultPreset } from '../../platform/sidecar.js'
import { read } from './api.js'
import { followLog } from './feed.js'
import { set } from './state.js'

/** Follows the sidecar's event log. */
export const follow = (): void => followLog(() => void loadPresets())

async function loadPresets(): Promise<void> {
  const answer = (await read('/presets')) as { presets: readonly FaultPreset[] } | undefined
  if (answer !== undefined) set({ presets: answer.presets })
}
