import { describe, expect, test } from 'vitest'
import { browserFlags } from '../../../src/node/host/browser/browser-flags.js'
import { type HostError } from '../../../src/node/host/host-error.js'

const flags = (options: Partial<Parameters<typeof browserFlags>[0]> = {}): string[] =>
  browserFlags({ sandbox: true, profileDir: '/tmp/profile', ...options })

const named = (name: string, list: readonly string[]): string[] => list.filter((flag) => flag.split('=')[0] === name)

describe("the browser's flags", () => {
  test.each([
    ['with a sandbox', true],
    ['without', false],
  ])('open no port and undo no protection of the page, %s', (_name, sandbox) => {
    const list = flags({ sandbox, webgl: true, maxOldSpace: 200 })
    expect(list).toContain('--remote-debugging-pipe')
    for (const name of [
      '--single-process',
      '--disable-web-security',
      '--remote-debugging-port',
      '--remote-debugging-address',
    ]) {
      expect(named(name, list)).toEqual([])
    }
    expect(list.at(-1)).toBe('about:blank')
  })

  test('leave out the zygote only without a sandbox: with one the browser would not start', () => {
    expect(flags()).not.toContain('--no-zygote')
    expect(flags()).not.toContain('--no-sandbox')
    expect(flags({ sandbox: false })).toEqual(expect.arrayContaining(['--no-sandbox', '--no-zygote']))
    expect(flags({ extra: ['--no-sandbox'] }).filter((flag) => flag === '--no-sandbox')).toHaveLength(1)
    expect(flags({ extra: ['--no-sandbox'] })).toContain('--no-zygote')
  })

  test('never use /dev/shm, which may be missing or small', () => {
    expect(flags()).toContain('--disable-dev-shm-usage')
  })

  test('draw WebGL in software, or not at all', () => {
    expect(flags()).toEqual(expect.arrayContaining(['--disable-gpu', '--disable-software-rasterizer']))
    const drawing = flags({ webgl: true })
    expect(drawing).toEqual(expect.arrayContaining(['--use-angle=swiftshader', '--enable-unsafe-swiftshader']))
    expect(drawing).not.toContain('--disable-gpu')
    expect(drawing).not.toContain('--disable-software-rasterizer')
  })

  test('hold each list of values once, with those that were added: the browser takes only the last', () => {
    const list = flags({
      maxOldSpace: 261.7,
      extra: ['--disable-features=Translate,B', '--disable-features=C', '--js-flags=--expose-gc', '--lang=de'],
    })
    expect(named('--disable-features', list)).toEqual(['--disable-features=WebRtcHideLocalIpsWithMdns,Translate,B,C'])
    expect(named('--js-flags', list)).toEqual(['--js-flags=--max-old-space-size=261 --expose-gc'])
    expect(list).toContain('--lang=de')
  })

  test('may be replaced by one that was added', () => {
    const list = flags({ extra: ['--window-size=800,600'] })
    expect(named('--window-size', list)).toEqual(['--window-size=800,600'])
    expect(list.at(-1)).toBe('about:blank')
  })

  test.each([
    ['--single-process', "can't have the flag --single-process: a crash of the page would be the browser's"],
    ['--Disable-Web-Security', "can't have the flag --disable-web-security"],
    ['--remote-debugging-port=9222', "can't have the flag --remote-debugging-port"],
    ['--remote-debugging-address=0.0.0.0', "can't have the flag --remote-debugging-address"],
    ['--user-data-dir=/home/ada', "can't have the flag --user-data-dir"],
    ['--no-zygote', 'Give --no-sandbox'],
    ['-single-process', 'must begin with "--" and a name; got "-single-process"'],
    ['--', 'must begin with "--" and a name; got "--"'],
    ['http://a.example/', 'must begin with "--" and a name'],
    ['', 'got ""'],
  ])('refuse %j', (flag, message) => {
    expect(() => flags({ extra: [flag] })).toThrow(message)
    expect(() => flags({ extra: [flag] })).toThrow(
      expect.objectContaining({ code: 'USAGE', exitCode: 64 }) as HostError,
    )
  })
})
