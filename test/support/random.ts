/** `DORMOUSE_TEST_SEED`, to repeat a run, else a random one. */
export function testSeed(): number {
  const given = process.env['DORMOUSE_TEST_SEED']
  return given ? Number(given) : Math.floor(Math.random() * 2 ** 32)
}
