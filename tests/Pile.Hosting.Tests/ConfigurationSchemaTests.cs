using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>What editors are told about the configuration is what is read.</summary>
public sealed class ConfigurationSchemaTests
{
    [Fact]
    public void TheSchemaHasTheSettingsThatAreReadWithTheirTypesValuesAndDefaults() =>
        SchemaCheck.Agrees("Pile", "Piles", PileSettings.All, static options => options.Pile == new PileOptions { Codecs = options.Pile.Codecs });
}
