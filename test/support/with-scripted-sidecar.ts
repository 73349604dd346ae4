import { onTestFinished } from 'vitest'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from './fault-server.js'

/** A sidecar that follows a script, for one test; ended with it. */
export async function startScripted(rules: readonly Rule[] = []): Promise<ScriptedSidecar> {
  const sidecar = await createScriptedSidecar(rules)
  onTestFinished(() => sidecar.close())
  return sidecar
}
