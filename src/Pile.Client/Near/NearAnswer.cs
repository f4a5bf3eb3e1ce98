// What a read of the server has brought, for all who waited for it.
// The array is shared by them: it is copied, never changed.
namespace Pile.Client.Near;

/// <summary>An answer.</summary>
/// <param name="IsGood">False where the key was changed meanwhile: ask again.</param>
/// <param name="Value">The value; null where there is no entry.</param>
internal readonly record struct NearAnswer(bool IsGood, byte[]? Value);
