import { onTestFinished } from 'vitest'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from './fault-server.js'

/** Starts a sidecar that follows a script, and stops it after the test. */
export async function startScripted(rules: readonly Rule[] = []): Promise<ScriptedSidecar> {
  const sidecar = await createScriptedSidecar(rules)
  onTestFinished(() => sidecar.close())
  return sidecar
}
