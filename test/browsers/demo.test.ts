import { expect, test } from 'vitest'
import { cli } from '../cli/support.js'
import { expectAccessible } from './support/axe.js'
import { inChromium } from './support/each-browser.js'

inChromium(({ open }) => {
  test(`in the demo the picture moves, a player joins, and the buttons change the match and the GameServer`, async () => {
    const [url] = await cli(['demo', '--no-open', '--port', '0']).line(/^http:\S+$/)
    const { page, run } = await open(url)
    const until = (expression: string): Promise<unknown> => page.waitForFunction(expression, { polling: 50 })
    const inState = (state: string): Promise<unknown> =>
      until(`document.querySelector('[aria-label=State] [aria-current]')?.textContent === '${state}'`)

    await page.setViewport({ width: 390, height: 844 })
    await until(`document.querySelector('[aria-label=Scores]').innerText.includes('Ada (bot)')`)
    await run(`window.first = document.querySelector('canvas').toDataURL()`)
    await until(`document.querySelector('canvas').toDataURL() !== first`)
    expect(await run('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

    await page.setViewport({ width: 1280, height: 800 })
    await inState('Ready')
    await page.click('::-p-aria([name="Your name"][role="textbox"])')
    await page.keyboard.type('Zoe')
    await page.keyboard.press('Enter')
    await until(`document.querySelector('[aria-label=Roster]').innerText.includes('Zoe')`)
    await page.click('button[data-action=allocate]')
    await inState('Allocated')
    await until(`/^\\d+ s left$/.test(document.querySelector('[role=status]').innerText)`)
    await page.keyboard.down('ArrowLeft')
    await until(`document.querySelector('.hint').hidden`)

    await page.click('button[data-action=end]')
    await until(`!document.querySelector('.result').hidden`)
    await inState('Shutdown')
    // A player stays for the next match.
    await inState('Ready')
    await until(`document.querySelector('[aria-label=Scores] .self')?.innerText.trim() === 'Zoe'`)
    expect(await run(`document.querySelector('.result').hidden`)).toBe(true)
    await expectAccessible(page, 'at the end')
    const dashboard = await run<string>(`document.querySelector('#dashboard').href`)
    expect((await fetch(dashboard)).status).toBe(200)
  })
  test('in the lobby of the demo with a Fleet, Play leads into a match that moves, and its end back', async () => {
    const [url] = await cli(['demo', '--fleet', '--no-open', '--port', '0'], { MATCH_SECONDS: '10' }).line(/^http:\S+$/)
    const { page, run } = await open(url)
    const until = (expression: string): Promise<unknown> => page.waitForFunction(expression, { polling: 50 })
    await page.setViewport({ width: 390, height: 844 })
    await until(`document.querySelectorAll('.arenas .ready').length === 5`)
    await until(`document.querySelector('#regions').innerText.startsWith('Your nearest region: Frankfurt')`)
    expect(await run('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

    await page.click('::-p-aria([name="Your name"][role="textbox"])')
    await page.keyboard.type('Zoe')
    await page.keyboard.press('Enter')
    await until(`document.querySelector('.arenas .here')?.innerText.includes('you are here')`)
    await until(`document.querySelector('[aria-label=Scores] .self')?.innerText.startsWith('Zoe')`)
    const arena = await run<string>(`document.querySelector('.arenas .here code').innerText`)
    await until(`document.querySelector('[aria-label=Allocations]').innerText.includes('${arena}')`)
    await run(`window.first = document.querySelector('canvas').toDataURL()`)
    await until(`document.querySelector('canvas').toDataURL() !== first`)

    await until(`!document.querySelector('#result').hidden`)
    await until(`!document.querySelector('#lobby').hidden`)
    expect(await run(`document.activeElement.innerText`)).toBe('Play')
    await until(`document.querySelectorAll('.arenas .ready').length === 5`)
    expect(await run(`document.querySelector('.arenas').innerText`)).not.toContain(arena)
    await expectAccessible(page, 'at the end')
  })
})
