// A whole cache as verbs show it.
// What only a server has is null for a directory.
namespace Pile.Tool.Entries;

/// <summary>A cache.</summary>
/// <param name="Counts">Its figures.</param>
/// <param name="UsedBytes">Bytes that it holds, everything included.</param>
/// <param name="LimitBytes">The limit on these.</param>
/// <param name="IndexBytes">Bytes of indexes.</param>
/// <param name="Server">What the server counts; null for a directory.</param>
internal sealed record CacheRow(CountRow Counts, long UsedBytes, long LimitBytes, long IndexBytes, ServerRow? Server);
