using System;
using Pile.Memory;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>What a caller is told of failed calls of the files.</summary>
public sealed class DirectoryErrorsTests
{
    private const int ReadOnlyFileSystem = 30;

    [Theory]
    [InlineData(LinuxErrors.AccessDenied, true)]
    [InlineData(ReadOnlyFileSystem, false)]
    public void AFileSystemThatTakesNoWritesIsNotToldAsAMissingRight(int error, bool isRight)
    {
        UnauthorizedAccessException told = Assert.IsType<UnauthorizedAccessException>(DirectoryErrors.For(LinuxErrors.Failure(error, "unlink", "/pile/cache.tables.new"), isOfPile: true));
        Assert.Equal(isRight, told.Message.Contains("needs the right", StringComparison.Ordinal));
        Assert.Equal(!isRight, told.Message.Contains("see to the device and mount it for writing", StringComparison.Ordinal));
        Assert.Contains("OpenMode = ReadOnly", told.Message, StringComparison.Ordinal);
    }
}
