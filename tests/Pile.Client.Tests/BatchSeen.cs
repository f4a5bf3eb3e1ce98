namespace Pile.Client.Tests;

/// <summary>A request of a stream, as a server's double sees it: its id, how many keys, those one after the other, and on a stream its kind, the number of its field.</summary>
internal readonly record struct BatchSeen(ulong Id, int Keys, string KeyText, int Kind = 0);
