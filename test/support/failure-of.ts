import { expect } from 'chai'

/** The error with which the work fails, of this class. @throws AssertionError if it fails otherwise, or not at all */
export async function failureOf<Failure extends Error>(
  work: Promise<unknown>,
  type: new (...args: never[]) => Failure,
): Promise<Failure> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(type)
  return error as Failure
}
