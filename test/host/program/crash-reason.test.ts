import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeProgramEnd, startProgram } from '../../../src/node/host/program/program-process.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

test('the reason of a crash is the line of the error before a require stack of 30 files', async () => {
  const folder = await temporaryFolder('require-stack')
  await mkdir(join(folder, 'lib'))
  for (let index = 1; index <= 30; index += 1) {
    const next = index === 30 ? 'absent-module' : `./file-${index + 1}.cjs`
    await writeFile(join(folder, 'lib', `file-${index}.cjs`), `require(${JSON.stringify(next)})\n`)
  }
  const written: string[] = []
  const command = [process.execPath, join(folder, 'lib', 'file-1.cjs')] as const
  const { exited, lastErrors } = await startProgram(command, process.env, (_level, line) => written.push(line))
  const { sentence, details } = describeProgramEnd(await exited, lastErrors, '')
  expect(written.filter((line) => line.includes('file-17.cjs'))).not.toEqual([])
  expect(sentence).toBe("The program ended with exit code 1: Error: Cannot find module 'absent-module'")
  expect(details[0]).toBe('Require stack:')
})
