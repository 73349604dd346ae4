import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from './support.js'

async function script(shell: string): Promise<string> {
  const { code, out } = await run('completion', shell).finished
  expect(code).toBe(0)
  const file = join(await temporaryFolder('completion'), `completion.${shell}`)
  await writeFile(file, out)
  return file
}

/** What a shell offers behind the words, the last of which is being typed. */
const rows: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['wa'], ['watch']],
  [['demo', '--no'], ['--no-open']],
  [['local', '--mod'], ['--mode']],
  [['local', '--mode', 'p'], ['production']],
  [['call', 'getC'], ['getCounter']],
  [['watch', '--until', 'Al'], ['Allocated']],
  [['completion', 'z'], ['zsh']],
]

const has = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined

describe('completion', () => {
  test.skipIf(!has('bash'))('bash offers commands, options and their choices', async () => {
    const file = await script('bash')
    for (const [words, offered] of rows) {
      const all = ['gameserver-sidecar', ...words]
      const quoted = all.map((word) => `'${word}'`).join(' ')
      const code = `. "$1"; COMP_WORDS=(${quoted}); COMP_CWORD=${all.length - 1}; _gameserver_sidecar; printf '%s\\n' "\${COMPREPLY[@]}"`
      const out = execFileSync('bash', ['--norc', '-c', code, 'bash', file], { encoding: 'utf8' })
      expect(out.trim().split('\n')).toEqual(offered)
    }
  })

  test.skipIf(!has('fish'))('fish offers commands, options and their choices', async () => {
    const file = await script('fish')
    for (const [words, offered] of rows) {
      const code = `source ${file}; complete -C "gameserver-sidecar ${words.join(' ')}"`
      const out = execFileSync('fish', ['--no-config', '-c', code], { encoding: 'utf8' })
      expect(
        out
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[0]),
      ).toEqual(offered)
    }
  })

  // Without a dump: with one at /dev/null, root's zsh puts a file in the device's place.
  test.skipIf(!has('zsh'))('zsh takes the script', async () => {
    const file = await script('zsh')
    const code = `autoload -U compinit; compinit -u -D; source ${file}; whence -w _gameserver_sidecar; print $_comps[gameserver-sidecar]`
    const out = execFileSync('zsh', ['-f', '-c', code], { encoding: 'utf8' })
    expect(out).toBe('_gameserver_sidecar: function\n_gameserver_sidecar\n')
  })

  test('refuses another shell, and lists the known ones', async () => {
    const { code, err } = await run('completion', 'tcsh').finished
    expect(code).toBe(64)
    expect(err).toMatch(/; there are bash, zsh, fish\.$/)
  })
})
