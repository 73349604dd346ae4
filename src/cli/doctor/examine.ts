import { beatChecks } from './beats.js'
import type { Check, Finding, Patient } from './check.js'
import { failure } from './check.js'
import { clusterChecks } from './cluster.js'
import { environmentChecks } from './environment.js'
import { fileChecks } from './file.js'
import { gameServerChecks } from './game-server.js'
import { reachChecks } from './reach.js'
import { watchChecks } from './watch.js'

/** All checks, in the order in which they are told. */
export const checks: readonly Check[] = [
  ...environmentChecks,
  ...reachChecks,
  ...watchChecks,
  ...gameServerChecks,
  ...fileChecks,
  ...beatChecks,
  ...clusterChecks,
]

export type Examined = Pick<Check, 'id' | 'group'> & Finding

/** Runs the checks one after the other, so that none disturbs what another measures. */
export async function* examine(patient: Patient): AsyncGenerator<Examined> {
  for (const { id, group, run } of checks) yield { id, group, ...(await runSafely(run, patient)) }
}

async function runSafely(run: Check['run'], patient: Patient): Promise<Finding> {
  try {
    return await run(patient)
  } catch (error) {
    return failure(`the check itself failed: ${String(error)}`, 'please report this')
  }
}
