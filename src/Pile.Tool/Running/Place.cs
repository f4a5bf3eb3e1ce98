// Where a verb works: in a directory, or at a server's address. What begins as an address does is one; a directory of such a name is given
// with its path (./unix:x).
using System;

namespace Pile.Tool.Running;

/// <summary>Directories and addresses.</summary>
internal static class Place
{
    private static readonly string[] _schemes = ["http://", "https://", "unix:"];

    /// <summary>Whether a word is a server's address.</summary>
    internal static bool IsAddress(string text) => Array.Exists(_schemes, scheme => text.StartsWith(scheme, StringComparison.OrdinalIgnoreCase));
}
