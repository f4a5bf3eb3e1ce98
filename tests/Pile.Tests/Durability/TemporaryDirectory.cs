using System;
using System.IO;

namespace Pile.Tests.Durability;

/// <summary>A path for a pile's directory, removed with all that is in it when the test is done.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    internal string Path { get; } = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "pile-test-" + Guid.NewGuid().ToString("N"));

    public void Dispose()
    {
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
