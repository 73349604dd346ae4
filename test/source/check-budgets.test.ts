import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('check-budgets accepts lower budgets, and a higher one only with a reason in its commit', async () => {
  const folder = await temporaryFolder('budgets')
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  const commit = (words: number, message: string): void => {
    writeFileSync(join(folder, 'build', 'budgets.json'), JSON.stringify({ words: { docs: words } }))
    run('git', 'add', '.')
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    expect(run('git', ...author, 'commit', '-qm', message).stderr).toBe('')
  }
  const check = () => run(process.execPath, join(root, 'build', 'check-budgets.mjs'), 'start')
  mkdirSync(join(folder, 'build'))
  run('git', 'init', '-q')
  commit(10, 'Begin')
  run('git', 'tag', 'start')

  commit(8, 'Join two pages')
  commit(9, 'Describe the fleet\n\nBudget: a page on fleets, which users ask for')
  expect(check()).toMatchObject({ status: 0, stderr: '' })
  commit(12, 'Add words')
  const { status, stderr } = check()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^[0-9a-f]{8} raises words\/docs from 9 to 12; say what it is worth in a line "Budget: …"/)
})
