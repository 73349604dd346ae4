import { signal } from '@preact/signals'
import type { Store } from '../store/store.js'
import type { FaultPreset } from '../../sidecar/control/fault-presets.js'

/** The presets of the sidecar that serves this page. */
export const presets = signal<readonly FaultPreset[]>([])

/** Asks for them once. */
export async function loadPresets(store: Store): Promise<void> {
  const { status, text } = await store.call('GET', '/_/api/presets')
  if (status === 200) presets.value = (JSON.parse(text) as { presets: readonly FaultPreset[] }).presets
}
